import { connectors } from "../connectors/catalogue.ts";
import { pushTopics } from "../contract/pushes.ts";
import { type AcceptedKind, acceptedKinds, authPlaces, sentKinds } from "../http-client/auth/auth-kinds.ts";
import { senderMembers } from "../server/auth/sender-options.ts";
import { configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape } from "./document/config-shape.ts";
import { forwardLimits, forwardTopic, limitsName } from "./sections/forward-options.ts";
import { withSharedDefinitions } from "./shared-definitions.ts";

/** All connectors except the embedded system, which always exists and has its settings in the file itself. */
export const configurable = connectors.filter((definition) => !("projectionModule" in definition));

/** The JSON Schema for editors. Members with a default are optional. */
export function configJsonSchema(): object {
  const { properties, ...rest } = editorShape(configShape(configSchema));
  const connectorShapes = configurable.map(({ type, summary, options }) => {
    const { properties: own, required = [], ...shape } = editorShape(configShape(options));
    return {
      ...shape,
      title: type,
      properties: { type: { const: type, description: summary }, ...own },
      required: ["type", ...required],
    };
  });
  return withSharedDefinitions({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Crossdock configuration",
    ...rest,
    properties: {
      ...properties,
      connectors: { ...properties?.["connectors"], additionalProperties: { oneOf: connectorShapes } },
      senders: {
        ...properties?.["senders"],
        additionalProperties: withAuth(editorShape(configShape(senderMembers)), authPlaces["senders.NAME.auth"]),
      },
      platform: withAuth(withForward(properties?.["platform"]), authPlaces["platform.auth"]),
    },
  });
}

/** The members of `forward`: one per topic, and the limits. */
function withForward(platform: ConfigShape | undefined): ConfigShape {
  const topic = editorShape(configShape(forwardTopic));
  const forward = {
    ...platform?.properties?.["forward"],
    properties: {
      ...Object.fromEntries(pushTopics.map((name) => [name, topic])),
      [limitsName]: editorShape(configShape(forwardLimits)),
    },
    additionalProperties: false,
  };
  return { ...platform, properties: { ...platform?.properties, forward } };
}

/** The members of `auth` by its kind. */
function withAuth(owner: ConfigShape | undefined, kinds: readonly (AcceptedKind | "none")[]): object {
  const oneOf = kinds.map((kind) => {
    const schema = kind === "none" ? sentKinds.none : acceptedKinds[kind];
    const { properties, required = [], ...rest } = editorShape(configShape(schema));
    return { ...rest, properties: { kind: { const: kind }, ...properties }, required: ["kind", ...required] };
  });
  return { ...owner, properties: { ...owner?.properties, auth: { ...owner?.properties?.["auth"], oneOf } } };
}

function editorShape(shape: ConfigShape): ConfigShape {
  if (shape.items !== undefined) return { ...shape, items: editorShape(shape.items) };
  if (shape.properties === undefined) return { ...shape };
  const { properties, required = [], ...rest } = shape;
  const needed = required.filter((name) => properties[name]?.default === undefined);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, editorShape(member)])),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}
