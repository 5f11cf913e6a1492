/** Text as base64 of its UTF-8 bytes, in Node and in browsers alike. */
export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
