import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

/** `node scripts/unzip.ts ARCHIVE NAME` writes one file of a ZIP archive to standard output, for machines without unzip. */
const [archive = '', requested = ''] = process.argv.slice(2)
const bytes = readFileSync(archive)

const file = [...entries()].find(({ name }) => name === requested)
if (!file) throw new Error(`${archive} contains no ${requested}`)
process.stdout.write(contents(file))

interface Entry {
  readonly name: string
  readonly deflated: boolean
  readonly size: number
  /** Offset of its local header. */
  readonly offset: number
}

/** Entries of the directory at the end of the archive. */
function* entries(): Iterable<Entry> {
  const end = bytes.lastIndexOf('PK\x05\x06')
  if (end < 0) throw new Error(`${archive} is not a ZIP archive`)
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    yield {
      name: bytes.toString('utf8', at + 46, nameEnd),
      deflated: bytes.readUInt16LE(at + 10) === 8,
      size: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    }
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
}

function contents({ deflated, size, offset }: Entry): Buffer {
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const packed = bytes.subarray(start, start + size)
  return deflated ? inflateRawSync(packed) : packed
}
