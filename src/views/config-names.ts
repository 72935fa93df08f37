const renderedConfigName = /\brendered-([a-z0-9.-]+)-([0-9a-f]{32,64})\b/g

/** Shortens the names of rendered configs in a text. */
export function shortenConfigNames(text: string): string {
  return text.replaceAll(
    renderedConfigName,
    (_all, pool: string, hex: string) => `${pool}-${hex.slice(0, 8)}…`,
  )
}

export const shortConfigName = (config: string | undefined): string =>
  config === undefined ? 'no config yet' : shortenConfigNames(config)
