from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine import tasks as functions
from tokenloom.engine import Task, find_record, run_tasks
from tokenloom.errors import CorpusError, TaskError
from tokenloom.storage.atomic import is_temporary


def squares(*numbers: int) -> list[Task]:
    return [Task(f"square-{number}", functions.write_square, {"number": number}) for number in numbers]


def failing(name: str, *, seconds: float = 0.0) -> Task:
    return Task(name, functions.fail, {"name": name, "seconds": seconds})


def marks(folder: Path) -> list[str]:
    return sorted((folder / "marks").read_text().split())


@pytest.mark.parametrize("n_processes", [1, 2])
def test_tasks_are_done_and_records_come_in_their_order(tmp_path: Path, n_processes: int) -> None:
    reports: list[tuple[str, int]] = []
    records = run_tasks(
        squares(3, 4, 5), folder=tmp_path, n_processes=n_processes, progress=lambda *report: reports.append(report)
    )
    assert [dict(record.facts) for record in records] == [{"square": 9}, {"square": 16}, {"square": 25}]
    assert (tmp_path / "5.txt").read_text() == "25"
    assert sorted(reports) == [("square-3", 3), ("square-4", 4), ("square-5", 5)]


def test_processes_write_the_same_files_as_one(tmp_path: Path) -> None:
    contents = []
    for n_processes in (1, 2):
        folder = tmp_path / str(n_processes)
        folder.mkdir()
        run_tasks(squares(3, 4, 5), folder=folder, n_processes=n_processes)
        contents.append({path.name: path.read_bytes() for path in folder.iterdir() if path.name != "marks"})
    assert contents[0] == contents[1]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    first = run_tasks(squares(3, 4), folder=tmp_path)
    assert run_tasks(squares(3, 4, 5), folder=tmp_path)[:2] == first
    assert marks(tmp_path) == ["3", "4", "5"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "3.txt").unlink(),
        lambda folder: (folder / "3.txt").write_text("8"),
        lambda folder: (folder / "square-3.done.json").unlink(),
        lambda folder: (folder / "square-3.done.json").write_text("{}"),
        lambda folder: (folder / "square-3.done.json").write_bytes(b"\xff"),
        lambda folder: (folder / "square-3.done.json").write_text("[1]"),
    ],
)
def test_what_does_not_verify_is_done_again(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    run_tasks(squares(3), folder=tmp_path)
    damage(tmp_path)
    run_tasks(squares(3), folder=tmp_path)
    assert marks(tmp_path) == ["3", "3"]
    assert (tmp_path / "3.txt").read_text() == "9"


def test_task_with_another_description_or_function_is_another_task(tmp_path: Path) -> None:
    (task,) = squares(3)
    run_tasks([task], folder=tmp_path)
    assert find_record(task, tmp_path)
    assert find_record(Task(task.name, task.function, {"number": 4}), tmp_path) is None
    assert find_record(Task(task.name, functions.fail, task.description), tmp_path) is None
    assert find_record(Task(task.name, task.function, task.description, {"n_threads": 2}), tmp_path)


@pytest.mark.parametrize("n_processes", [1, 2])
def test_error_of_the_first_task_in_order_is_raised(tmp_path: Path, n_processes: int) -> None:
    """With two processes, the second one fails before the first does."""
    tasks = [failing("a", seconds=0.3), failing("b"), *squares(5)]
    with pytest.raises(CorpusError, match="'a': is broken"):
        run_tasks(tasks, folder=tmp_path, n_processes=n_processes)
    assert not [path for path in tmp_path.iterdir() if path.name == "broken.txt" or is_temporary(path.name)]


def test_tasks_before_an_error_stay_done(tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        run_tasks([*squares(3), failing("b")], folder=tmp_path)
    run_tasks(squares(3, 4), folder=tmp_path)
    assert marks(tmp_path) == ["3", "4"]


def test_process_that_ends_on_its_own_is_an_error(tmp_path: Path) -> None:
    tasks = [Task("gone", functions.end_process, {}), *squares(3)]
    with pytest.raises(TaskError, match=r"task 'gone': its process ended on its own \(exit code 9\).*Repeat"):
        run_tasks(tasks, folder=tmp_path, n_processes=2)


def test_ctrl_c_ends_the_processes_and_leaves_no_partial_file(tmp_path: Path) -> None:
    def stop(name: str, amount: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks([Task(name, functions.wait_long, {}) for name in "ab"], folder=tmp_path, n_processes=2, progress=stop)
    assert list(tmp_path.iterdir()) == []
