import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Whether a string has a format. Unknown formats are not checked, as in kube-apiserver. */
export function hasFormat(format: string, text: string): boolean {
  return checks[format]?.(text) ?? true
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const uuidOf = (version: number): ((text: string) => boolean) => {
  const variant = version === 3 ? '[0-9a-f]' : '[89ab]'
  const form = `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`
  const pattern = new RegExp(form, 'i')
  return (text) => pattern.test(text)
}

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  datetime: isDateTime,
  date: isDate,
  byte: (text) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  uuid: (text) => uuid.test(text),
  uuid3: uuidOf(3),
  uuid4: uuidOf(4),
  uuid5: uuidOf(5),
  uri: isUri,
  email: (text) => /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (text) =>
    /^[0-9a-f]{2}(?<separator>[:-])[0-9a-f]{2}(\k<separator>[0-9a-f]{2}){4}((\k<separator>[0-9a-f]{2}){2})?$/i.test(
      text,
    ) || /^([0-9a-f]{4}\.){2}[0-9a-f]{4}(\.[0-9a-f]{4})?$/i.test(text),
  duration: isDuration,
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: (text) => /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/.test(text),
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
}

function isDateTime(text: string): boolean {
  const [day, rest] = splitAt(text, 10)
  const time = /^[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(rest)
  return isDate(day) && time !== null && +time[1]! < 24 && +time[2]! < 60 && +time[3]! < 60
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return false
  const [year, month, day] = [+parts[1]!, +parts[2]!, +parts[3]!]
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text) || /^\/[^\s]*$/.test(text)
}

/** One label, or several that end in letters; symbols count as letters, as in kube-apiserver. */
function isHostname(text: string): boolean {
  const single = /^[A-Za-z0-9\p{S}\p{L}](-?[A-Za-z0-9\p{S}\p{L}]{0,62})?$/u
  const label = /^[A-Za-z0-9\p{S}\p{L}]([A-Za-z0-9\p{S}\p{L}-]{0,61}[A-Za-z0-9\p{S}\p{L}])?$/u
  const labels = text.split('.')
  const last = labels.pop()!
  if (labels.length === 0) return single.test(last)
  const known = labels.every((one) => label.test(one))
  return text.length <= 255 && known && /^\p{L}{2,63}$/u.test(last)
}

function isCidr(text: string): boolean {
  const [address = '', bits = ''] = text.split('/', 2)
  const version = isIP(address)
  if (version === 0 || text.split('/').length !== 2) return false
  return /^\d{1,3}$/.test(bits) && +bits <= (version === 4 ? 32 : 128)
}

/** Go durations, and the verbose form (`3 days`) that kube-apiserver also accepts. */
function isDuration(text: string): boolean {
  if (/^[+-]?0$/.test(text)) return true
  if (/^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return true
  // Every verbose unit begins with one of these; checking the last digit before it is sufficient.
  return /\d\s*(?:ns|nano|us|µs|[smhdw])/i.test(text)
}

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at)]
