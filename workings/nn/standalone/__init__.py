"""The architectures as single files that need torch alone: what `workings export` writes.

Each file has a `Model(config)` with the parameter names of the live architecture, plain tensors
in and out, so that a folder can be used where Workings is not, and ONNX can be made of it.

- `recurrent`, `attention`: the language models, with their state
- `conv`: the image classifiers
- `graph`: the graph networks
- `speech`: the encoder and the decoder of the speech model
- `load`: reads an exported folder; goes beside one of the others, as `load.py` beside `model.py`
"""
