/* Patterns by which kubelets tell whom to ask about an image: `host[:port][/path]`, where `*` is any one label of the host. */

const longest = 512

/** Whether a kubelet can use it. One that it cannot even read keeps it from starting. */
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
 * Whether there may be an image that both are for, as a kubelet sees it: hosts have as many labels, ports are the same,
 * and one path begins with the other.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  const [labels, others] = [a.host.split('.'), b.host.split('.')]
  return (
    labels.length === others.length &&
    labels.every((label, place) => mayBeSame(label, others[place]!)) &&
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

/** Others than ours may have wildcards within a label, too: those count as if they were for all. */
const mayBeSame = (one: string, other: string): boolean =>
  one === other || [one, other].some((label) => /[*?[\\]/.test(label))
