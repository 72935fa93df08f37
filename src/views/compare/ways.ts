/** How both ways are called, wherever there is room for it. */
export const ways = {
  rendered: { release: '4.12', short: 'rendered', heading: ["4.12's way", '(rendered)'] },
  direct: { release: '4.16', short: 'direct', heading: ["4.16's way", '(direct)'] },
} as const
