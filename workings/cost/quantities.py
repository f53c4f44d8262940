"""What is counted of a module: the quantities, their units, and which pass each belongs to."""

QUANTITIES = {
    "params": "parameters",
    "forward": "multiply-adds",
    "backward": "multiply-adds",
    "elementwise": "operations, forward",
    "elementwise_backward": "operations, backward",
    "moved": "elements copied, forward",
    "memory": "bytes kept for the backward pass",
}

OPERATIONS = "operations"  # all of the forward pass: multiply-adds, elementwise and moved
FORWARD = ("forward", "elementwise", "moved", OPERATIONS)
BACKWARD = ("backward", "elementwise_backward")

Counts = dict[tuple[str, str], int]  # by (quantity, path of the module)
