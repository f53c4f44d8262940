// A clip is recorded, dropped or chosen: its transcript, how sure each letter is, and where it was heard.
import { h, replace, notice } from "./dom.js";
import { ask } from "./api.js";
import { shader } from "./chart.js";

export function show(view, run, about) {
  const found = h("div");
  let recorder = null;

  async function send(blob) {
    replace(found, h("p.busy", {}, "listening…"));
    try {
      const sound = await wav(blob);
      draw(await ask(`api/try/send?view=speech&run=${encodeURIComponent(run)}`, sound), sound);
    } catch (error) {
      replace(found, h("p.wrong", {}, error.message));
    }
  }
  async function example(number) {
    replace(found, h("p.busy", {}, "listening…"));
    try {
      const answer = await ask("api/try/example", { run, view: "speech", number });
      draw(
        answer,
        new Blob([Uint8Array.from(atob(answer.wav), (char) => char.charCodeAt(0))], { type: "audio/wav" }),
      );
    } catch (error) {
      replace(found, h("p.wrong", {}, error.message));
    }
  }
  async function record() {
    if (recorder) return recorder.stop();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const pieces = [];
      recorder = new MediaRecorder(stream);
      recorder.ondataavailable = (event) => pieces.push(event.data);
      recorder.onstop = () => {
        stream.getTracks().forEach((track) => track.stop());
        recorder = null;
        microphone.textContent = "Record";
        send(new Blob(pieces));
      };
      recorder.start();
      microphone.textContent = "Stop recording";
    } catch {
      notice("The browser gives no microphone; drop a sound file instead.", true);
    }
    return null;
  }

  function draw(answer, blob) {
    const player = h("audio", { controls: true, "aria-label": "The clip", src: URL.createObjectURL(blob) });
    const play = (from, to) => {
      player.currentTime = Math.max(0, from - 0.05);
      player.ontimeupdate = () => {
        if (player.currentTime > to) {
          player.pause();
          player.ontimeupdate = null;
        }
      };
      player.play();
    };
    const words = answer.pieces.flatMap((piece) => wordsOf(piece));
    replace(
      found,
      answer.silent
        ? h("p", {}, "There is nothing to hear in it.")
        : h(
            "p.big",
            {},
            words.map((word) => {
              const made = h(
                "button.token",
                {
                  title: `${(word.p * 100).toFixed(0)} %${word.start === null ? "" : `, at ${word.start.toFixed(2)} s: click to hear it`}`,
                  onclick: () => word.start !== null && play(word.start, word.end),
                },
                word.text,
              );
              made.style.setProperty("--sure", word.p.toFixed(3));
              return [made, " "];
            }),
          ),
      answer.said !== undefined &&
        h(
          "p",
          {},
          h(answer.said === answer.text ? "span.badge.right" : "span.badge.wrong", {}, `said: ${answer.said}`),
        ),
      h("div.row", {}, player),
      h(
        "figure",
        {},
        spectrogram(answer),
        h(
          "figcaption.soft",
          {},
          `${answer.seconds.toFixed(1)} s; letters stand where the model listened for them`,
        ),
      ),
      answer.pieces
        .filter((piece) => piece.weights.length)
        .map((piece) =>
          h(
            "figure",
            {},
            alignment(piece),
            h("figcaption.soft", {}, "alignment: a row for each letter, time to the right"),
          ),
        ),
    );
  }

  const file = h("input", {
    type: "file",
    accept: "audio/*",
    hidden: true,
    onchange: () => {
      if (file.files[0]) send(file.files[0]);
      file.value = "";
    },
  });
  const microphone = h("button.primary", { onclick: record }, "Record");
  const drop = h(
    "section.card.drop",
    { "aria-label": "Clip" },
    h("h2", {}, "Say something, or drop a clip"),
    h("div.row", {}, microphone, h("button", { onclick: () => file.click() }, "Open a clip…"), file),
    about.examples.length
      ? h(
          "div",
          {},
          h("h3", {}, "or choose a test clip"),
          h(
            "ul.plain",
            {},
            about.examples.map((text, number) =>
              h("li", {}, h("button.link", { onclick: () => example(number) }, "▸ ", text)),
            ),
          ),
        )
      : h("p.soft", {}, about.without || ""),
  );
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  });
  view.append(
    h(
      "div.columns",
      {},
      drop,
      h(
        "section.card",
        { "aria-label": "Transcript", "aria-live": "polite" },
        h("h2", {}, "Transcript"),
        found,
      ),
    ),
  );
  if (about.examples.length) example(0);
}

/** The words of a piece, with the probability of the least sure letter and when they were heard. */
function wordsOf({ tokens, times, end }) {
  const words = [];
  let word = null;
  tokens.forEach(({ symbol, probability }, at) => {
    if (symbol === " " || symbol.length > 1) {
      word = null;
      return;
    }
    if (!word) words.push((word = { text: "", p: 1, start: times[at] ?? null, end }));
    word.text += symbol;
    word.p = Math.min(word.p, probability);
    if (times.length) word.end = (times[at + 1] ?? end) + 0.15;
  });
  return words;
}

/** Any sound that the browser can play, as a WAV of one channel. */
async function wav(blob) {
  if (blob.name?.match(/\.(wav|flac|ogg|mp3|aiff?)$/i)) return blob;
  const context = new AudioContext();
  const sound = await context.decodeAudioData(await blob.arrayBuffer()).catch(() => null);
  context.close();
  if (!sound) throw new Error("the clip: is no sound that can be read; a WAV, FLAC, OGG or MP3 file is");
  const samples = sound.getChannelData(0);
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const word = (at, text) => [...text].forEach((char, i) => view.setUint8(at + i, char.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sound.sampleRate, true);
  view.setUint32(28, 2 * sound.sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((value, at) => view.setInt16(44 + 2 * at, Math.max(-1, Math.min(1, value)) * 32767, true));
  return new Blob([view], { type: "audio/wav" });
}

function spectrogram(answer) {
  const rows = answer.spectrogram;
  const [width, height] = [rows[0].length, rows.length];
  const canvas = h("canvas.spectrogram", { width, height, role: "img", "aria-label": "spectrogram" });
  const pen = canvas.getContext("2d");
  rows.forEach((row, band) =>
    row.forEach((value, x) => {
      pen.fillStyle = `hsl(${230 - value * 0.7} 70% ${6 + value * 0.28}%)`;
      pen.fillRect(x, height - 1 - band, 1, 1);
    }),
  );
  canvas.style.height = "160px";
  const letters = h("div.letters", { "aria-hidden": "true" });
  const taken = []; // places, from left to right in percent
  for (const piece of answer.pieces)
    piece.times.forEach((time, at) => {
      const { symbol } = piece.tokens[at];
      const place = (time / answer.seconds) * 100;
      if (symbol.length !== 1 || symbol === " " || taken.some((other) => Math.abs(place - other) < 1.8)) return;
      const letter = h("span", {}, symbol);
      letter.style.left = `${Math.min(place, 98.5)}%`;
      taken.push(place);
      letters.append(letter);
    });
  return h("div", {}, canvas, letters);
}

function alignment({ weights }) {
  const shade = shader();
  const [width, height] = [weights[0].length, weights.length];
  const canvas = h("canvas.spectrogram", {
    width,
    height,
    role: "img",
    "aria-label": "alignment of letters with moments",
  });
  const pen = canvas.getContext("2d");
  weights.forEach((row, y) =>
    row.forEach((value, x) => {
      pen.fillStyle = shade(Math.sqrt(value));
      pen.fillRect(x, y, 1, 1);
    }),
  );
  canvas.style.height = `${Math.min(260, height * 7)}px`;
  return canvas;
}
