"""New cipher files: a scaffold that runs, and the judgement of a file."""

from cipherassay.review.judge import judge
from cipherassay.review.scaffold import scaffold_cipher
from cipherassay.review.supervision import judge_apart
from cipherassay.review.verdict import Judgement, Verdict

__all__ = ["Judgement", "Verdict", "judge", "judge_apart", "scaffold_cipher"]
