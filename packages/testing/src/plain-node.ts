if (!process.features.typescript) {
  const path = 'export PATH="$PWD/node_modules/.bin:$PATH"'
  throw new Error(`Node ${process.version} cannot run TypeScript; put Node 26 first: ${path}`)
}

/** Node runs TypeScript directly, as in production and faster than through Vite. */
export const plainNode = { viteModuleRunner: false, nodeLoader: false }
