/** One `-----BEGIN …-----` block, decoded. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, … */
  readonly label: string
  readonly der: Uint8Array
  /** Where the block begins, counted from 1, so that a person can find it. */
  readonly line: number
}

/** A block that cannot be used. The message never quotes the text: it may be a key. */
export interface PemProblem {
  readonly line: number
  readonly label: string
  /** There is no END line: perhaps the file is still being written. */
  readonly cutOff: boolean
  readonly message: string
}

export interface PemReading {
  readonly blocks: readonly PemBlock[]
  readonly problems: readonly PemProblem[]
}

/**
 * All blocks of a PEM text. A broken block is reported and passed over; the blocks behind it still count, because one
 * bad certificate in a bundle must not take trust away from the others. Text between blocks is ignored, as OpenSSL does.
 */
export function readPem(text: string): PemReading {
  const blocks: PemBlock[] = []
  const problems: PemProblem[] = []
  let open: OpenBlock | undefined
  const giveUp = ({ label, line }: OpenBlock, why: string): void => {
    const message = `PEM block "${label}" ${why}`
    problems.push({ line, label, cutOff: why === noEnd, message })
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    const begin = beginLine.exec(line)
    if (begin) {
      if (open) giveUp(open, noEnd)
      open = { label: begin[1]!, line: index + 1, body: [] }
    } else if (line.startsWith('-----END ')) {
      if (!open) {
        // What was before it is lost, and OpenSSL would not say so.
        giveUp({ label: endLine.exec(line)?.[1] ?? '', line: index + 1, body: [] }, noBegin)
        continue
      }
      const read = closeBlock(open, line)
      if (typeof read === 'string') giveUp(open, read)
      else blocks.push(read)
      open = undefined
    } else {
      open?.body.push(line)
    }
  }
  if (open) giveUp(open, noEnd)
  return { blocks, problems }
}

export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

interface OpenBlock {
  readonly label: string
  readonly line: number
  readonly body: string[]
}

const noEnd = 'has no END line'
const noBegin = 'has no BEGIN line'
const beginLine = /^-----BEGIN ([A-Z0-9 ]{1,64})-----$/
const endLine = /^-----END ([A-Z0-9 ]{1,64})-----$/
const header = /^[A-Za-z][A-Za-z0-9-]*:/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The finished block, or why it cannot be used. */
function closeBlock(open: OpenBlock, end: string): PemBlock | string {
  if (end !== `-----END ${open.label}-----`) return 'ends with another label'
  const text = withoutHeaders(open.body).join('')
  if (text === '') return 'is empty'
  if (text.length % 4 !== 0 || !base64.test(text)) return 'is not base64'
  return { label: open.label, der: Buffer.from(text, 'base64'), line: open.line }
}

/** Encrypted keys of old carry headers (`DEK-Info: …`), set off by an empty line. */
function withoutHeaders(body: readonly string[]): readonly string[] {
  if (!header.test(body[0] ?? '')) return body
  return body.slice(body.indexOf('') + 1)
}
