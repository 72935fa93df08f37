import type { Address } from '../../process/pages.ts'
import { InvalidArgumentError } from './commander.ts'

/** Parses `host:port`, or `:port` for all IPv4 and IPv6 addresses of the machine. */
export function listenArgument(text: string): Address {
  return text.startsWith(':')
    ? { ...addressArgument(`all${text}`), host: '' }
    : addressArgument(text)
}

export function addressArgument(text: string): Address {
  const match = /^(?:\[([0-9a-f:]+)\]|([^:]+)):(\d{1,5})$/i.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535)
    throw new InvalidArgumentError('Expected host:port, such as 127.0.0.1:6443.')
  return { host: (match[1] ?? match[2])!, port }
}
