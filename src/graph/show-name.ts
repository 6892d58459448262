/** Most characters of a name from an uploaded file that a message repeats. */
const shownCharactersMax = 120;

/** A name from an uploaded file, quoted and shortened so that it can stand in a public sentence. */
export function showName(name: string): string {
  return JSON.stringify(name.length > shownCharactersMax ? `${name.slice(0, shownCharactersMax)}...` : name);
}

/** The first few of many names, and how many more there are. */
export function showNames(names: readonly string[], shownMax = 5): string {
  const shown = names.slice(0, shownMax).map(showName).join(', ');
  return names.length > shownMax ? `${shown} and ${names.length - shownMax} more` : shown;
}
