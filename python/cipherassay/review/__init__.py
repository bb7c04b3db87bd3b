"""New cipher files: a scaffold that runs, and the check of a file."""

from cipherassay.review.answers import load_right
from cipherassay.review.checking import check
from cipherassay.review.scaffold import scaffold_cipher
from cipherassay.review.supervision import check_apart
from cipherassay.review.verdict import Review, Verdict

__all__ = ["Review", "Verdict", "check", "check_apart", "load_right", "scaffold_cipher"]
