"""A speech model as two stand-alone modules: sound to states, and text so far to the next token."""

# B clips, T frames, F bands, L tokens

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from workings.json_files import conform
from workings.nn.speech import SpeechModel
from workings.nn.standalone import speech
from workings.schema import Config
from workings.tasks.portable import Part, Portable, cannot_leave

HOW = """\
samples = torch.zeros(config["rate"])  # a second of sound, from -1 to 1, of that rate
from model import log_mel
print(model.write(log_mel(samples, config), config["symbols"], config["most"]))
"""


@torch.no_grad()
def portable(
    model: nn.Module,
    section: Config | None,
    sizes: dict[str, int],
    x_BTF: Tensor,
    tokens_BL: Tensor,
    use: Mapping[str, object],
) -> Portable:
    """Encoder and decoder; x, tokens: clips of one length that they are verified on."""
    if not isinstance(model, SpeechModel) or section is None:
        raise cannot_leave(str(getattr(section, "kind", "")))
    config = conform(section.model_dump() | sizes, speech.Config)
    module = speech.Model(config).eval()
    module.load_state_dict(model.state_dict())
    model.eval()
    frames_B = torch.full((len(x_BTF),), x_BTF.shape[1])
    sound_BSW, encoded_B = model.encoder(x_BTF, frames_B)
    logits_BLV = model.decoder(tokens_BL, sound_BSW, encoded_B)
    encoder = Part(
        "encoder",
        module.encoder,
        {"features": ("batch", "frames", sizes["bands"])},
        ("sound",),
        [((x_BTF,), (sound_BSW,)), ((x_BTF[:1],), (sound_BSW[:1],))],
        {
            "features": "log-mel bands of sound from -1 to 1, as `log_mel` makes them in the "
            "model.py of --to folder, with rate, window, hop and filters of config.json",
            "sound": "for the decoder",
        },
    )
    width = sound_BSW.shape[2]
    decoder = Part(
        "decoder",
        module.decoder,
        {"tokens": ("batch", "length"), "sound": ("batch", "steps", width)},
        ("logits",),
        [
            ((tokens_BL, sound_BSW), (logits_BLV,)),
            ((tokens_BL[:1, :1], sound_BSW[:1]), (logits_BLV[:1, :1],)),
        ],
        {
            "tokens": "the text so far, as numbers of `symbols` in config.json",
            "sound": "what the encoder gives",
            "logits": "of the symbol after each; softmax gives the probabilities",
        },
    )
    return Portable([encoder, decoder], module, "speech", config, use, HOW)
