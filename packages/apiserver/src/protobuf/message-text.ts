/** A field of a message: its protobuf number and JSON name. */
export interface Field {
  readonly number: number
  /** The JSON name; empty for inlined messages. */
  readonly name: string
  /** A scalar (`string`), a special type (`Quantity`) or the full name of a message (`core.PodSpec`). */
  readonly type: string
  /** The Go type name if it differs from the plain one: of the string, or of the whole map or list. */
  readonly goName?: string
  readonly shape: 'one' | 'list' | 'map'
  /** Can be absent as well as empty: values on the wire are set, even if zero. */
  readonly pointer: boolean
  /** Kubernetes prints it in JSON even if it is empty. */
  readonly always: boolean
  /** Required by Kubernetes. */
  readonly required: boolean
}

export interface Message {
  /** `core.PodSpec` */
  readonly name: string
  /** `kind`: an object with apiVersion and kind. `either`: in JSON it is the value of its last set field. */
  readonly role: 'kind' | 'either' | 'part'
  readonly fields: ReadonlyMap<number, Field>
}

/**
 * Reads a table of messages:
 *
 *     kind Pod: 1 metadata meta.ObjectMeta, 2 spec PodSpec, 3 status PodStatus
 *     Volume: 1 name string!, 2 ...VolumeSource
 *
 * A field is number, JSON name, type. `[]T` is a list, `map T` a map from strings, `*T` may be absent, `T!` is
 * required and in JSON always printed, `T?` is always printed, `...T` stands in JSON without a name. A type without a
 * dot is a scalar, special or of the same package; `T:Name` is what Go calls it (`v1.Name`).
 */
export function messagesOf(pack: string, text: string): Message[] {
  const lines = text.replaceAll('\n  ', ' ').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => messageOf(pack, line))
}

function messageOf(pack: string, line: string): Message {
  const [, role = 'part', name, rest] = /^(?:(kind|either) )?(\w+):(.*)$/.exec(line)!
  const fields = rest!
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map((field) => fieldOf(pack, field))
  return {
    name: `${pack}.${name}`,
    role: role as Message['role'],
    fields: new Map(fields.map((field) => [field.number, field])),
  }
}

function fieldOf(pack: string, text: string): Field {
  const inline = /^(\d+) \.\.\.(\w+)$/.exec(text)
  const [, number, name = '', shape, type, goName, mark] =
    (inline && [text, inline[1], '', '', inline[2], undefined, '']) ||
    /^(\d+) ([\w$-]+) (\[\]|map |\*|)([\w.]+)(?::([\w.]+))?([!?]?)$/.exec(text)!
  return {
    number: Number(number),
    name,
    type: builtInTypes.has(type!) || type!.includes('.') ? type! : `${pack}.${type}`,
    ...(goName !== undefined && { goName: goName.includes('.') ? goName : `v1.${goName}` }),
    shape: shape === '[]' ? 'list' : shape === 'map ' ? 'map' : 'one',
    pointer: shape === '*',
    always: mark === '!' || mark === '?',
    required: mark === '!',
  }
}

const builtInTypes = new Set(
  'string bool int32 int64 double bytes Quantity IntOrString Time MicroTime FieldsV1 JSON'.split(
    ' ',
  ),
)
