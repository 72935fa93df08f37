import type { Schema } from './schema.ts'
import { rule, string } from './schema.ts'

/* How registries and what is in them are called. Written without backslashes, so that a rule and a pattern can use the same. */

const label = '[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?'
const port = '(:[0-9]+)?'
const path = '(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*'
const wildcard = `[*]([.]${label})+`
const registry = `${label}([.]${label})*${port}`
/** A name without a dot would be looked for in some registry or other. */
const fullRegistry = `(${label}([.]${label})+|localhost)${port}`
const tag = '(:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?'
const digest = '(@[a-zA-Z][a-zA-Z0-9]*([-_+.][a-zA-Z][a-zA-Z0-9]*)*:[a-fA-F0-9]{32,})?'

/** `host[:port][/path]`. */
export const locationPattern = `^${registry}${path}$`
/** The same, or `*.domain`. */
export const sourcePattern = `^(${wildcard}|${registry}${path})$`

/** An entry of the lists of registries. */
export function registryScope(description: string): Schema<string> {
  return string(description, {
    minLength: 1,
    maxLength: 256,
    rules: [
      rule(
        `self.matches('${sourcePattern}')`,
        'must be host[:port][/path] with a path in lower case, or *.domain, without a tag or digest',
      ),
    ],
  })
}

/** Where images without a registry in their name are searched. */
export function searchRegistry(description: string): Schema<string> {
  return string(description, {
    minLength: 1,
    maxLength: 256,
    rules: [rule(`self.matches('^${registry}$')`, 'must be host[:port]')],
  })
}

/** What a signature policy is about: more than a registry's name, down to a single image. */
export function imageScope(description: string): Schema<string> {
  return string(description, {
    maxLength: 512,
    rules: [
      rule(
        `self.matches('^(${wildcard}|${fullRegistry}${path}${tag}${digest})$')`,
        'must be host[:port][/path][:tag][@digest] with a dot in the host, or *.domain',
      ),
    ],
  })
}

/** What a signature may say that it is for. */
export function repositoryName(description: string): Schema<string> {
  return string(description, {
    maxLength: 512,
    rules: [
      rule(
        `self.matches('^${fullRegistry}${path}$')`,
        'must be host[:port][/path] with a dot in the host, without a tag or digest',
      ),
    ],
  })
}
