// Pieces are compared as a whole, which engines do many characters at a time.
const largestPiece = 65_536;

/** How many characters two texts have in common at their beginning. */
export function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  for (let size = largestPiece; size >= 1; size = Math.floor(size / 2)) {
    while (same + size <= most && a.slice(same, same + size) === b.slice(same, same + size)) {
      same += size;
    }
  }
  return same;
}

/** How many characters two texts have in common at their end. */
export function commonSuffix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  for (let size = largestPiece; size >= 1; size = Math.floor(size / 2)) {
    while (same + size <= most && piece(a, same, size) === piece(b, same, size)) same += size;
  }
  return same;
}

/** So many characters that end so far from the text's end. */
const piece = (text: string, fromEnd: number, size: number): string =>
  text.slice(text.length - fromEnd - size, text.length - fromEnd);
