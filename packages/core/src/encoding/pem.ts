/** A decoded `-----BEGIN …-----` block. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, … */
  readonly label: string
  readonly der: Uint8Array
  /** Line number of the BEGIN line, from 1. */
  readonly line: number
}

/** An invalid block. The message never quotes the text, which may be a private key. */
export interface PemProblem {
  readonly line: number
  readonly label: string
  /** The END line is missing: the file may still be being written. */
  readonly cutOff: boolean
  readonly message: string
}

export interface PemReading {
  readonly blocks: readonly PemBlock[]
  readonly problems: readonly PemProblem[]
}

/**
 * All blocks of a PEM text. An invalid block is reported and skipped; the blocks after it are returned, because one invalid
 * certificate in a bundle must not remove trust in the others. Text between blocks is ignored, as in OpenSSL.
 */
export function readPem(text: string): PemReading {
  const blocks: PemBlock[] = []
  const problems: PemProblem[] = []
  let open: OpenBlock | undefined
  const reportProblem = ({ label, line }: OpenBlock, why: string): void => {
    const message = `PEM block "${label}" ${why}`
    problems.push({ line, label, cutOff: why === noEnd, message })
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    const begin = beginLine.exec(line)
    if (begin) {
      if (open) reportProblem(open, noEnd)
      open = { label: begin[1]!, line: index + 1, body: [] }
    } else if (line.startsWith('-----END ')) {
      if (!open) {
        // The block before the END line is lost. OpenSSL ignores this silently.
        reportProblem({ label: endLine.exec(line)?.[1] ?? '', line: index + 1, body: [] }, noBegin)
        continue
      }
      const read = closeBlock(open, line)
      if (typeof read === 'string') reportProblem(open, read)
      else blocks.push(read)
      open = undefined
    } else {
      open?.body.push(line)
    }
  }
  if (open) reportProblem(open, noEnd)
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

/** The complete block, or the problem with it. */
function closeBlock(open: OpenBlock, end: string): PemBlock | string {
  if (end !== `-----END ${open.label}-----`) return 'ends with another label'
  const text = withoutHeaders(open.body).join('')
  if (text === '') return 'is empty'
  if (text.length % 4 !== 0 || !base64.test(text)) return 'is not base64'
  return { label: open.label, der: Buffer.from(text, 'base64'), line: open.line }
}

/** Legacy encrypted keys have headers (`DEK-Info: …`), followed by an empty line. */
function withoutHeaders(body: readonly string[]): readonly string[] {
  if (!header.test(body[0] ?? '')) return body
  return body.slice(body.indexOf('') + 1)
}
