import torch
from torch import Tensor, nn

import workings

run = workings.train({"task": "language", "data": {"train": ["book.txt"]}}, name="mine")
print(run.evaluate(data=["other.txt"])["perplexity"])
print(run.generate("our country", samples=3)[0].text)
print(run.embed().near("country"))  # or run.predict(array), run.transcribe(file), run.history
# The data alone will do: a file, lists of strings, (pixels, labels), a networkx graph; or by
# split, {"train": …, "test": …}; as in workings.train(data=graph, settings={"train.epochs": 50})
# Progress goes to logging: logging.basicConfig(level=logging.INFO) shows it
run.export("mine-onnx", to="onnx")  # or to="folder": plain torch
run = workings.open("mine")  # later, in another process
workings.study("vanishing")  # in a notebook, its report

workings.check("rnn")  # or "paper.tex", or symbols, equations, claims
workings.cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))


def my_backward(g: Tensor, x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    return g @ w.T, x.T @ g


x, w = torch.randn(4, 3), torch.randn(3, 2)
workings.assert_gradient(lambda x, w: x @ w, my_backward, x, w)  # in your own tests
workings.assert_computes(nn.Linear(4, 3), "x W + b", inputs={"x": "n x 4"})
