"""A callback of scikit-learn 1.9 that watches rounds and ends them."""


class StopAfter:
    """Asks the estimator after every round, and ends learning after some of them."""

    def __init__(self, n_rounds, ask):
        self.n_rounds, self.ask = n_rounds, ask
        self.seen, self.task = 0, "round"

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.task_name != self.task:
            return False
        self.seen += 1
        self.answer = self.ask(fitted_estimator)
        return self.seen == self.n_rounds
