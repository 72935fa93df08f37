import { isIPv4, isIPv6 } from 'node:net'
import type { Registrar, Values } from './library.ts'
import { registerNamespace } from './namespace.ts'

/** `ip("10.0.0.1")`, `cidr("10.0.0.0/8")` and their functions. */
export function registerNetwork(to: Registrar, { fail }: Values): void {
  const address = (text: string): Ip => {
    const found = parseIp(text)
    if (!found) throw fail(`IP Address '${text}' parse error during conversion from string`)
    return found
  }
  const range = (text: string): Cidr => {
    const found = parseCidr(text)
    if (!found) throw fail(`network address parse error during conversion from string: '${text}'`)
    return found
  }
  registerIp(to, address)
  registerCidr(to, address, range)
}

function registerIp(to: Registrar, address: (text: string) => Ip): void {
  const type = 'kubernetes.IP'
  to.registerType(type, Ip)
  registerNamespace(to, 'ip')
  to.registerFunction('isIP(string): bool', (text: string) => parseIp(text) !== undefined)
  to.registerFunction(`ip(string): ${type}`, address)
  to.registerFunction(
    'IpNamespace.isCanonical(string): bool',
    (_: unknown, text: string) => address(text).text() === text,
  )
  to.registerFunction(`string(${type}): string`, (ip: Ip) => ip.text())
  to.registerFunction(`${type}.family(): int`, (ip: Ip) => BigInt(ip.family))
  const ask = (name: string, of4: string[], of6: string[]): void => {
    const ranges = [...of4, ...of6].map((text) => parseCidr(text)!)
    to.registerFunction(`${type}.${name}(): bool`, (ip: Ip) => ranges.some((one) => one.holds(ip)))
  }
  ask('isUnspecified', ['0.0.0.0/32'], ['::/128'])
  ask('isLoopback', ['127.0.0.0/8'], ['::1/128'])
  ask('isLinkLocalUnicast', ['169.254.0.0/16'], ['fe80::/10'])
  ask('isLinkLocalMulticast', ['224.0.0.0/24'], ['ff02::/16'])
  const local = ['0.0.0.0/32', '255.255.255.255/32', '127.0.0.0/8', '224.0.0.0/4', '169.254.0.0/16']
  const others = [...local, '::/128', '::1/128', 'ff00::/8', 'fe80::/10'].map((of) =>
    parseCidr(of)!,
  )
  to.registerFunction(
    `${type}.isGlobalUnicast(): bool`,
    (ip: Ip) => !others.some((one) => one.holds(ip)),
  )
  to.registerOperator(`${type} == ${type}`, (a: Ip, b: Ip) => a.text() === b.text())
}

function registerCidr(
  to: Registrar,
  address: (text: string) => Ip,
  range: (text: string) => Cidr,
): void {
  const type = 'kubernetes.CIDR'
  to.registerType(type, Cidr)
  to.registerFunction('isCIDR(string): bool', (text: string) => parseCidr(text) !== undefined)
  to.registerFunction(`cidr(string): ${type}`, range)
  to.registerFunction(`string(${type}): string`, (cidr: Cidr) => cidr.text())
  to.registerFunction(`${type}.ip(): kubernetes.IP`, (cidr: Cidr) => cidr.ip)
  to.registerFunction(`${type}.prefixLength(): int`, (cidr: Cidr) => BigInt(cidr.bits))
  to.registerFunction(`${type}.masked(): ${type}`, (cidr: Cidr) => cidr.masked())
  to.registerFunction(`${type}.containsIP(string): bool`, (cidr: Cidr, text: string) =>
    cidr.holds(address(text)),
  )
  to.registerFunction(`${type}.containsIP(kubernetes.IP): bool`, (cidr: Cidr, ip: Ip) =>
    cidr.holds(ip),
  )
  const within = (cidr: Cidr, other: Cidr): boolean =>
    other.bits >= cidr.bits && cidr.holds(other.ip)
  to.registerFunction(`${type}.containsCIDR(string): bool`, (cidr: Cidr, text: string) =>
    within(cidr, range(text)),
  )
  to.registerFunction(`${type}.containsCIDR(${type}): bool`, within)
  to.registerOperator(`${type} == ${type}`, (a: Cidr, b: Cidr) => a.text() === b.text())
}

class Ip {
  readonly family: 4 | 6
  readonly value: bigint
  constructor(family: 4 | 6, value: bigint) {
    this.family = family
    this.value = value
  }

  get width(): number {
    return this.family === 4 ? 32 : 128
  }

  /** The canonical form. */
  text(): string {
    if (this.family === 4)
      return [24n, 16n, 8n, 0n].map((at) => (this.value >> at) & 255n).join('.')
    const hex = this.value.toString(16).padStart(32, '0')
    return new URL(`http://[${hex.replaceAll(/(.{4})(?!$)/g, '$1:')}]`).hostname.slice(1, -1)
  }
}

class Cidr {
  readonly ip: Ip
  readonly bits: number
  constructor(ip: Ip, bits: number) {
    this.ip = ip
    this.bits = bits
  }

  holds(other: Ip): boolean {
    const rest = BigInt(this.ip.width - this.bits)
    return other.family === this.ip.family && other.value >> rest === this.ip.value >> rest
  }

  masked(): Cidr {
    const rest = BigInt(this.ip.width - this.bits)
    return new Cidr(new Ip(this.ip.family, (this.ip.value >> rest) << rest), this.bits)
  }

  text(): string {
    return `${this.ip.text()}/${this.bits}`
  }
}

/** Kubernetes rejects zones and IPv4-mapped IPv6 addresses here. */
function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) {
    return new Ip(
      4,
      text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n),
    )
  }
  if (!isIPv6(text) || text.includes('%') || text.includes('.')) return undefined
  const [head = '', tail] = text.split('::')
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'))
  const [left, right] = [groups(head), groups(tail ?? '')]
  const middle = Array<string>(8 - left.length - right.length).fill('0')
  const all = [...left, ...middle, ...right]
  return new Ip(
    6,
    all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n),
  )
}

function parseCidr(text: string): Cidr | undefined {
  const [address = '', bits = '', ...rest] = text.split('/')
  const ip = parseIp(address)
  if (!ip || rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined
  return Number(bits) <= ip.width ? new Cidr(ip, Number(bits)) : undefined
}
