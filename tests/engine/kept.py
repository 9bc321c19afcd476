"""A worker that a check may not close, so that one process serves many."""

from posproofs.engine.worker import Worker


class Kept:
    """The worker, which stays open behind a `with` block."""

    def __init__(self, worker: Worker) -> None:
        self.call, self.begin = worker.call, worker.begin

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, *_: object) -> None:
        pass
