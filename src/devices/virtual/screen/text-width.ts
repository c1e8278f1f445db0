/**
 * How wide text is, by estimate. Layout must not depend on a font engine: the tree has to be
 * the same on every machine, and to be there without drawing. The advances below are those of
 * the font the renderer uses; what is outside the table is taken a little too wide, and the
 * renderer squeezes a line that still does not fit.
 */

// Advances of the printable ASCII characters, from the space on, in thousandths of the size.
const asciiAdvances = [
  260, 269, 408, 646, 572, 831, 732, 225, 300, 300, 551, 572, 268, 322, 268, 372,
  572, 572, 572, 572, 572, 572, 572, 572, 572, 572, 268, 268, 572, 572, 572, 434,
  899, 639, 650, 632, 730, 556, 519, 728, 741, 339, 273, 619, 524, 907, 760, 781,
  605, 781, 622, 549, 556, 731, 600, 930, 586, 566, 572, 329, 372, 329, 572, 444,
  281, 561, 615, 480, 615, 564, 344, 615, 618, 258, 258, 534, 258, 935, 618, 605,
  615, 615, 413, 479, 361, 618, 508, 786, 529, 510, 470, 380, 551, 380, 572
]

/** Width of a text in the unit of `size`. */
export function textWidth (text: string, size: number, bold: boolean): number {
  let thousandths = 0
  for (let at = 0; at < text.length; at += 1) thousandths += advanceOf(text.charCodeAt(at))
  return thousandths * size * (bold ? 1.07 : 1) / 1000
}

// By UTF-16 unit: a pair of surrogates counts as two halves of an emoji.
function advanceOf (unit: number): number {
  if (unit >= 0x20 && unit < 0x7f) return asciiAdvances[unit - 0x20] ?? 600
  if (unit < 0x20) return 260
  if (unit < 0x250) return 630
  if (unit >= 0x300 && unit < 0x370) return 0
  if (unit < 0x590) return 660
  if (unit < 0x600) return 600
  if (unit < 0x780) return 620
  if (unit >= 0x200b && unit <= 0x200f) return 0
  if (unit >= 0x2000 && unit < 0x2070) return 820
  if (unit >= 0xd800 && unit < 0xe000) return 660
  if (unit >= 0xfe00 && unit <= 0xfe0f) return 0
  return 1300
}
