/** Who makes MachineConfigs. */
export interface Maker {
  /** The version of the operator whose ControllerConfig is rendered. */
  readonly version: string
  /** The build of this controller, as it marks what it makes. */
  readonly build: string
}
