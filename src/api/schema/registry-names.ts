import type { Schema } from './schema.ts'
import { rule, string } from './schema.ts'

/* Patterns for names of registries, repositories and images. Without backslashes, so that CEL rules and patterns can share them. */

const label = '[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?'
const port = '(:[0-9]+)?'
const path = '(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*'
const wildcard = `[*]([.]${label})+`
const registry = `${label}([.]${label})*${port}`
/** A host without a dot would be read as a repository, which is resolved by search registries. */
const fullRegistry = `(${label}([.]${label})+|localhost)${port}`
const tag = '(:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?'
const digest = '(@[a-zA-Z][a-zA-Z0-9]*([-_+.][a-zA-Z][a-zA-Z0-9]*)*:[a-fA-F0-9]{32,})?'

/** `host[:port][/path]`. */
export const locationPattern = `^${registry}${path}$`
/** `host[:port][/path]` or `*.domain`. */
export const sourcePattern = `^(${wildcard}|${registry}${path})$`

/** An entry of `registrySources`. */
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

/** A registry that is searched for images whose name has no registry. */
export function searchRegistry(description: string): Schema<string> {
  return string(description, {
    minLength: 1,
    maxLength: 256,
    rules: [rule(`self.matches('^${registry}$')`, 'must be host[:port]')],
  })
}

/** The scope of a signature policy: from a registry down to a single image. */
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

/** The repository that a signature states. */
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
