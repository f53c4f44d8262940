// What can be written on the Check page, and what stands there at first: each with a mistake in it.

export const KINDS = [
  ["formulas", "Formulas"],
  ["markdown", "Markdown"],
  ["latex", "LaTeX"],
  ["claims", "Claims (TOML)"],
];
export const FIRST = {
  formulas: {
    kind: "formulas",
    symbols: "x: 1 x d\nW: d x k\ny: onehot 1 x k",
    equations: "p = \\mathrm{softmax}(x W)\nE = -\\log(p) y^T",
    claims: "\\frac{\\partial E}{\\partial W} = x^T (y - p)\n\\frac{\\partial E}{\\partial x} = (p - y) W^T",
  },

  markdown: {
    kind: "markdown",
    text: "# Least squares\n\nLet $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d \\times 1}$ and $y \\in \\mathbb{R}^{n \\times 1}$, with\n\n$$E = \\frac{1}{2} \\|X w - y\\|^2.$$\n\nThen\n\n$$\\frac{\\partial E}{\\partial w} = X (X w - y).$$\n",
  },
  latex: {
    kind: "latex",
    text: "\\section{Least squares}\nLet $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d \\times 1}$ and $y \\in \\mathbb{R}^{n \\times 1}$, with\n\\begin{equation}\n  E = \\frac{1}{2} \\|X w - y\\|^2.\n\\end{equation}\nThen\n\\begin{equation}\n  \\nabla_w E = X (X w - y).\n\\end{equation}\n",
  },
  claims: {
    kind: "claims",
    text: "[symbols]\na = \"1 x n\"\nb = \"1 x n\"\n\n[[claims]]\nclaim = '\\|a + b\\|^2 = \\|a\\|^2 + \\|b\\|^2 + a b^T'\n\n[[claims]]\nmodel = \"attention\"\ncount = '3d^2'\n",
  },
};
