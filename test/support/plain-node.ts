/** Node runs our TypeScript by itself, as it does when it is used, and quicker than with Vite in between. */
export const plainNode = { viteModuleRunner: false, nodeLoader: false }
