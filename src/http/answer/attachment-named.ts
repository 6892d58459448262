/** The Content-Disposition of a download: the last part of the path, in both spellings of RFC 6266. */
export function attachmentNamed(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, '_')}"; ` +
    `filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`
  );
}
