"""Numbers are rows: the fields of a row, the metrics, and the store that keeps and queries them."""

from cipherassay.results.metrics import METRICS, Metric
from cipherassay.results.row import FIELDS, Row
from cipherassay.results.runs import Sample
from cipherassay.results.store import Store, digest

__all__ = ["FIELDS", "METRICS", "Metric", "Row", "Sample", "Store", "digest"]
