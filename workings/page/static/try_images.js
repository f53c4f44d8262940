// A picture is drawn, dropped, pasted or chosen: its class, what decided it, and the nearest training images.
import { h, meter, replace, notice } from "./dom.js";
import { ask } from "./api.js";

const SIDE = 280; // of the drawing

export function show(view, run, about) {
  const [, height, width] = about.shape;
  const found = h("div");
  const canvas = h("canvas.drawing", {
    width: SIDE,
    height: SIDE,
    role: "img",
    "aria-label": "Draw a picture here",
  });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const [ground, ink] = about.dark ? ["#000", "#fff"] : ["#fff", "#000"];
  let drawing = false;
  let touched = false;

  function clear() {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, SIDE, SIDE);
    touched = false;
  }
  function stroke(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [
      ((event.clientX - box.left) / box.width) * SIDE,
      ((event.clientY - box.top) / box.height) * SIDE,
    ];
    if (!drawing) {
      pen.beginPath();
      pen.moveTo(x, y);
    }
    Object.assign(pen, { lineWidth: SIDE / 13, lineCap: "round", lineJoin: "round", strokeStyle: ink });
    pen.lineTo(x + 0.01, y);
    pen.stroke();
    drawing = touched = true;
  }
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drawing = false;
    stroke(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drawing) stroke(event);
  });
  canvas.addEventListener("pointerup", () => {
    drawing = false;
    if (touched) centred(canvas, ground).toBlob(send);
  });

  async function send(blob) {
    replace(found, h("p.busy", {}, "looking…"));
    try {
      draw(await ask(`api/try/send?view=images&run=${encodeURIComponent(run)}`, blob));
    } catch (error) {
      replace(found, h("p.wrong", {}, error.message));
    }
  }
  async function example(number) {
    replace(found, h("p.busy", {}, "looking…"));
    try {
      draw(await ask("api/try/example", { run, view: "images", number }));
    } catch (error) {
      replace(found, h("p.wrong", {}, error.message));
    }
  }

  function draw(answer) {
    const all = Object.entries(answer.probabilities).sort((a, b) => b[1] - a[1]);
    const [best, share] = all[0];
    replace(
      found,
      h(
        "div.row.top",
        {},
        h(
          "figure",
          {},
          painted(answer.image, width, height, 140, "the picture as the model sees it"),
          h("figcaption.soft", {}, "as the model sees it"),
        ),
        h("figure", {}, heat(answer.looked, 140), h("figcaption.soft", {}, "where it looked")),
        h(
          "div.grow",
          {},
          h(
            "p.big",
            {},
            h("strong", {}, best),
            ` ${(share * 100).toFixed(1)} %`,
            answer.is !== undefined &&
              h(answer.is === best ? "span.badge.right" : "span.badge.wrong", {}, `is ${answer.is}`),
          ),
          h(
            "div.bars",
            {},
            all
              .slice(0, 10)
              .map(([name, p]) => [
                h("span", {}, name),
                meter(p),
                h("span.soft", {}, `${(p * 100).toFixed(1)} %`),
              ]),
          ),
        ),
      ),
      answer.nearest.length
        ? h(
            "div",
            {},
            h("h3", {}, "Nearest training images"),
            h(
              "div.row",
              {},
              answer.nearest.map((each) =>
                h("figure", {}, painted(each.image, width, height, 64, `of class ${each.class}`), h("figcaption.soft", {}, each.class)),
              ),
            ),
          )
        : null,
    );
  }

  const file = h("input", {
    type: "file",
    accept: "image/png,image/jpeg,image/webp,image/bmp",
    hidden: true,
    onchange: () => {
      if (file.files[0]) send(file.files[0]);
      file.value = "";
    },
  });
  const drop = h(
    "section.card.drop",
    { "aria-label": "Picture" },
    h("h2", {}, "Draw, drop or paste a picture"),
    canvas,
    h(
      "div.row",
      {},
      h(
        "button",
        {
          onclick: () => {
            clear();
            replace(found);
          },
        },
        "Clear",
      ),
      h("button", { onclick: () => file.click() }, "Open a picture…"),
      file,
    ),
    about.examples.length
      ? h(
          "div",
          {},
          h("h3", {}, "or choose a test image"),
          h(
            "div.thumbs",
            {},
            about.examples.map((each) =>
              h(
                "button.thumb",
                { "aria-label": `test image of class ${each.class}`, onclick: () => example(each.number) },
                painted(each.image, width, height, 44),
              ),
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
  const paste = (event) => {
    if (!view.isConnected) return removeEventListener("paste", paste);
    const image = [...event.clipboardData.files].find((each) => each.type.startsWith("image/"));
    if (image) send(image);
    return null;
  };
  addEventListener("paste", paste);
  view.append(
    h(
      "div.columns",
      {},
      drop,
      h(
        "section.card",
        { "aria-label": "Prediction", "aria-live": "polite" },
        h("h2", {}, "Prediction"),
        found,
      ),
    ),
  );
  clear();
  if (about.examples.length) example(about.examples[0].number);
  else notice("Draw something: the model's data is not at hand.");
}

/** The drawing cut to its ink, with a margin, as sets of digits have it. */
function centred(canvas, ground) {
  const pixels = canvas.getContext("2d").getImageData(0, 0, SIDE, SIDE).data;
  const empty = ground === "#000" ? 0 : 255;
  let [left, right, top, bottom] = [SIDE, 0, SIDE, 0];
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1)
      if (Math.abs(pixels[4 * (y * SIDE + x)] - empty) > 40) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      }
  const side = Math.max(right - left, bottom - top, 1);
  const made = h("canvas", { width: SIDE, height: SIDE });
  const pen = made.getContext("2d");
  pen.fillStyle = ground;
  pen.fillRect(0, 0, SIDE, SIDE);
  const scale = (SIDE * 20) / 28 / side;
  pen.drawImage(
    canvas,
    left,
    top,
    right - left + 1,
    bottom - top + 1,
    SIDE / 2 - ((right - left) / 2) * scale,
    SIDE / 2 - ((bottom - top) / 2) * scale,
    (right - left + 1) * scale,
    (bottom - top + 1) * scale,
  );
  return made;
}

/** An image of the server's: bytes of red, green, blue and opacity. */
function painted(image, width, height, side, label = null) {
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const canvas = h("canvas.pixels", { width, height, ...named });
  const bytes = Uint8ClampedArray.from(atob(image), (char) => char.charCodeAt(0));
  canvas.getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
  canvas.style.width = `${side}px`;
  return canvas;
}

function heat(rows, side) {
  const canvas = h("canvas.pixels", {
    width: rows[0].length,
    height: rows.length,
    role: "img",
    "aria-label": "how much each pixel changes the answer",
  });
  const pen = canvas.getContext("2d");
  rows.forEach((row, y) =>
    row.forEach((value, x) => {
      pen.fillStyle = `hsl(${40 - 40 * value} 95% ${8 + 62 * value}%)`;
      pen.fillRect(x, y, 1, 1);
    }),
  );
  canvas.style.width = `${side}px`;
  return canvas;
}
