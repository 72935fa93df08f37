import type { Config } from '../config.ts'

const hasSpecialBits = ({ mode = 0 }: { readonly mode?: number }): boolean => (mode & 0o7000) !== 0

/**
 * A config of a version before 3.4 without setuid, setgid and sticky bits: Ignition did not set them then, and still does not
 * when it reads such a config. The validator warns of them.
 */
export function withoutSpecialBits(config: Config): Config {
  const { files = [], directories = [] } = config.storage ?? {}
  if (!files.some(hasSpecialBits) && !directories.some(hasSpecialBits)) return config
  const masked = <T extends { readonly mode?: number }>(node: T): T =>
    hasSpecialBits(node) ? { ...node, mode: node.mode! & ~0o7000 } : node
  return {
    ...config,
    storage: {
      ...config.storage,
      ...(config.storage?.files && { files: files.map(masked) }),
      ...(config.storage?.directories && { directories: directories.map(masked) }),
    },
  }
}
