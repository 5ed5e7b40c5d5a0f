export { nearestName } from "../kit/nearest-name.ts";
