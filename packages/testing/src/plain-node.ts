if (!process.features.typescript) {
  const path = 'export PATH="$PWD/node_modules/.bin:$PATH"'
  throw new Error(`Node ${process.version} runs no TypeScript; put ours first: ${path}`)
}

/** Node runs our TypeScript by itself, as it does when it is used, and quicker than with Vite in between. */
export const plainNode = { viteModuleRunner: false, nodeLoader: false }
