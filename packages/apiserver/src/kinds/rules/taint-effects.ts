/** What a taint does to pods that do not tolerate it. */
export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
