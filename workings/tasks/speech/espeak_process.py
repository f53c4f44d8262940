"""espeak-ng through ctypes, as a process: `python -m workings.tasks.speech.espeak_process`.

It reads one JSON object on standard input, {"folder", "seed", "clips": [{"name", "text", "voice",
"rate", "pitch"}, …]}, writes folder/NAME.wav of each in this order and a line for each on standard
output, and last one with the synthesiser's version and sample rate. One fresh process, one fixed
order: what espeak-ng says depends on all that it has said before, and on the clock unless its
random numbers are seeded.
"""

import ctypes
import json
import sys
import wave
from pathlib import Path

SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS: samples are handed to the callback
NO_EXIT = 0x8000  # espeakINITIALIZE_DONT_EXIT
RATE, PITCH, UTF8 = 1, 3, 1  # espeakRATE, espeakPITCH, espeakCHARS_UTF8
Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Synthesiser:
    """Speaks one text after the other, each as 16-bit samples."""

    def __init__(self, seed: int) -> None:
        import espeakng_loader

        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = str(espeakng_loader.get_data_path()).encode()
        self.rate = int(self.library.espeak_Initialize(SYNCHRONOUS, 0, data, NO_EXIT))
        if self.rate <= 0:
            raise RuntimeError("espeak-ng cannot be started")
        self.library.espeak_ng_SetRandSeed(ctypes.c_long(seed))
        self.library.espeak_Info.restype = ctypes.c_char_p
        self.version = self.library.espeak_Info(None).decode().split()[0]
        self.said = bytearray()
        self.callback = Callback(self._take)  # kept: the library calls it
        self.library.espeak_SetSynthCallback(self.callback)

    def _take(self, samples: "ctypes._Pointer[ctypes.c_short]", count: int, events: object) -> int:
        if samples and count > 0:
            self.said += ctypes.string_at(samples, 2 * count)
        return 0

    def say(self, text: str, voice: str, rate: int, pitch: int) -> bytes:
        """Native 16-bit samples; rate in words a minute, pitch from 0 to 100."""
        self.said.clear()
        if self.library.espeak_SetVoiceByName(voice.encode()):
            raise RuntimeError(f"espeak-ng has no voice {voice!r}")
        self.library.espeak_SetParameter(RATE, rate, 0)
        self.library.espeak_SetParameter(PITCH, pitch, 0)
        content = text.encode()
        size = ctypes.c_size_t(len(content) + 1)
        if self.library.espeak_Synth(content, size, 0, 1, 0, UTF8, None, None):
            raise RuntimeError(f"espeak-ng cannot say {text!r}")
        self.library.espeak_Synchronize()
        return bytes(self.said)


def main() -> None:
    """Say all clips of the job on standard input."""
    job = json.load(sys.stdin)
    synthesiser = Synthesiser(job["seed"])
    for clip in job["clips"]:
        said = synthesiser.say(clip["text"], clip["voice"], clip["rate"], clip["pitch"])
        with wave.open(str(Path(job["folder"]) / f"{clip['name']}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(synthesiser.rate)
            file.writeframes(said)
        print(clip["name"], flush=True)
    print(json.dumps({"version": synthesiser.version, "rate": synthesiser.rate}), flush=True)


if __name__ == "__main__":
    main()
