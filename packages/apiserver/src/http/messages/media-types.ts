import { StatusError } from '../../status/status-error.ts'

/** One entry of an Accept header, or a Content-Type. */
export interface MediaType {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

export type Encoding = 'application/json' | 'application/yaml'

/** The response format: encoding, and for `as=` the kind to convert to. */
export interface Negotiated {
  readonly encoding: Encoding
  readonly as?: { readonly kind: string; readonly group: string; readonly version: string }
}

const encodings: readonly Encoding[] = ['application/json', 'application/yaml']

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim())
  const parameters = rest.flatMap((part) => {
    const [name, value = ''] = part.split('=', 2)
    return name ? [[name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')] as const] : []
  })
  return { type: type.toLowerCase(), parameters: Object.fromEntries(parameters) }
}

/** The entries of an Accept header, most preferred first. */
export function parseAccept(header: string): MediaType[] {
  const entries = header
    .split(',')
    .map(parseMediaType)
    .filter(({ type }) => type !== '')
  const quality = ({ parameters }: MediaType): number => Number(parameters['q'] ?? 1) || 0
  return entries.filter((entry) => quality(entry) > 0).sort((a, b) => quality(b) - quality(a))
}

/** The first entry that can be served. `serves` reports which kinds objects can be converted to. */
export function negotiate(
  header: string | undefined,
  serves: (as: NonNullable<Negotiated['as']>) => boolean,
): Negotiated {
  if (header === undefined || header.trim() === '') return { encoding: 'application/json' }
  for (const { type, parameters } of parseAccept(header)) {
    const encoding = encodingOf(type)
    if (!encoding) continue
    const { as: kind, g: group = '', v: version = '' } = parameters
    if (kind === undefined) return { encoding }
    const as = { kind, group, version }
    if (serves(as)) return { encoding, as }
  }
  throw notAcceptable()
}

function encodingOf(type: string): Encoding | undefined {
  if (type === '*/*' || type === 'application/*') return 'application/json'
  return encodings.find((encoding) => encoding === type)
}

const notAcceptable = (): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    {},
  )

export const unknownBody = (): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  )
