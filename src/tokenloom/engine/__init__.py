"""Where and when a step runs."""

from tokenloom.engine.ahead import ahead
from tokenloom.engine.local import TaskProgress, run_tasks
from tokenloom.engine.task import Outcome, Record, Report, Task, find_record, perform
from tokenloom.engine.work_folder import claimed_work, finished_work, remove_work

__all__ = [
    "Outcome",
    "Record",
    "Report",
    "Task",
    "TaskProgress",
    "ahead",
    "claimed_work",
    "find_record",
    "finished_work",
    "perform",
    "remove_work",
    "run_tasks",
]
