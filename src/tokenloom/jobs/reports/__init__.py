"""Reports on what was trained and encoded: one HTML page for a run, beside its results and outside their checksums.

A page may tell times and names of files; nothing is read back from it.
"""

from tokenloom.jobs.reports.cost_page import cost_page
from tokenloom.jobs.reports.count_page import count_page
from tokenloom.jobs.reports.files import write_count_report, write_encode_report, write_report, write_train_report
from tokenloom.jobs.reports.model_page import model_page, write_model_report
from tokenloom.jobs.reports.pages import demo_page, encode_page, train_page
from tokenloom.jobs.reports.sources import SourceTokens, sampled_bytes_per_token

__all__ = [
    "SourceTokens",
    "cost_page",
    "count_page",
    "demo_page",
    "encode_page",
    "model_page",
    "sampled_bytes_per_token",
    "train_page",
    "write_count_report",
    "write_encode_report",
    "write_model_report",
    "write_report",
    "write_train_report",
]
