/** The Content-Disposition of a download: the last part of the path, in both spellings of RFC 6266. */
export function attachmentNamed(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const encoded = encodeURIComponent(name).replace(/['()*]/g, percentEncoded);
  return `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, '_')}"; filename*=UTF-8''${encoded}`;
}

/** A character of ASCII as `encodeURIComponent` writes those that it encodes. */
function percentEncoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
