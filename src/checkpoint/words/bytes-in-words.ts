const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people, such as `1.7 MiB`. */
export function bytesInWords(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
