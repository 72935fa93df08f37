import type { Address } from '../pages.ts'
import { addressArgument } from './apiserver.ts'

/** `host:port`; or `:port` for all addresses, of IPv6 and of IPv4, as far as the machine has them. */
export function listenArgument(text: string): Address {
  return text.startsWith(':')
    ? { ...addressArgument(`every${text}`), host: '' }
    : addressArgument(text)
}
