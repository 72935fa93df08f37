import type { Config } from './config.ts'

/** Whether a mode has setuid, setgid or sticky bits. */
export const isSpecialMode = (mode: number): boolean => (mode & 0o7000) !== 0

const hasSpecialBits = ({ mode = 0 }: { readonly mode?: number }): boolean => isSpecialMode(mode)

/**
 * Removes setuid, setgid and sticky bits from a config of a version before 3.4: Ignition does not set them for such a config. The
 * validator reports a warning.
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
