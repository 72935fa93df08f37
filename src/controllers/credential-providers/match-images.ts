/* matchImages patterns of kubelets: `host[:port][/path]`, where `*` matches one label of the host. */

const longest = 512

/** Whether a pattern is valid. A kubelet does not start with a pattern that it cannot parse. */
export function isPattern(text: string): boolean {
  const { host, port, path } = partsOf(text)
  return (
    text !== '*' &&
    text.length <= longest &&
    host.split('.').every(isLabel) &&
    /^(?::\d+)?$/.test(port) &&
    /^[-a-z0-9._/]*$/.test(path)
  )
}

/**
 * Whether an image can match both patterns, by the rules of kubelets: hosts have the same number of labels, ports are equal,
 * and one path is a prefix of the other.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  const [labels, others] = [a.host.split('.'), b.host.split('.')]
  return (
    labels.length === others.length &&
    labels.every((label, i) => mayBeSame(label, others[i]!)) &&
    a.port === b.port &&
    (a.path.startsWith(b.path) || b.path.startsWith(a.path))
  )
}

/** `registry.io:8080/path` → `registry.io`, `:8080`, `/path`. */
function partsOf(text: string): { host: string; port: string; path: string } {
  const slash = text.indexOf('/')
  const registry = slash < 0 ? text : text.slice(0, slash)
  const colon = registry.indexOf(':')
  return {
    host: colon < 0 ? registry : registry.slice(0, colon),
    port: colon < 0 ? '' : registry.slice(colon),
    path: slash < 0 ? '' : text.slice(slash),
  }
}

const isLabel = (text: string): boolean =>
  text === '*' || (/^[a-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-'))

/** Patterns of other providers may have wildcards within a label: treat them as matching everything. */
const mayBeSame = (one: string, other: string): boolean =>
  one === other || [one, other].some((label) => /[*?[\\]/.test(label))
