import { createRequire } from 'node:module';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { namedSchemas } from '../schema.mts';
import { webhookExamples } from './exampleRecords.mts';
import { examples, refusalExamples } from './examples.mts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const STYLE = `/* The bar at the top has the logo of another project, and a field for other pages. */
.swagger-ui .topbar { display: none }
`;

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A body of a webhook or the answer to one, with its example. */
const json = (schema: string, name: keyof typeof webhookExamples) => ({
	'application/json': { schema: schemaRef(schema), example: webhookExamples[name] },
});

/** A request that the service sends; its body and its delivery are assumed. */
function webhook(
	event: 'CallStart' | 'CallEnd',
	summary: string,
	answer: string,
	content?: ReturnType<typeof json>,
) {
	return {
		post: {
			operationId: `on${event}`,
			summary,
			security: [],
			requestBody: { content: json(`${event}Body`, event) },
			responses: { 200: { description: answer, ...(content && { content }) } },
		},
	};
}

/** What is needed here of an operation in the document. */
interface Operation {
	operationId: keyof typeof examples;
	requestBody?: { content: Record<string, object> };
	responses: Record<string, { content?: Record<string, object> }>;
}

/** Adds the examples, for which a schema that is a reference has no room. */
function addExamples({ operationId, requestBody, responses }: Operation): void {
	const { requests = {}, reply } = examples[operationId];
	for (const media of Object.values(requestBody?.content ?? {})) {
		const named = Object.entries(requests).map(([name, value]) => [name, { value }]);
		Object.assign(media, { examples: Object.fromEntries(named) });
	}
	for (const [status, { content = {} }] of Object.entries(responses)) {
		const example = refusalExamples[status]?.(operationId) ?? reply;
		if (example === undefined) continue;
		for (const media of Object.values(content)) Object.assign(media, { example });
	}
}

/** The OpenAPI document at `/swagger/v1/swagger.json` and the Swagger UI at `/swagger`. */
export async function addDocument(app: FastifyInstance): Promise<void> {
	for (const schema of namedSchemas) app.addSchema(schema);

	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: 'Voice agent service (emulator)',
				description: 'Call recording and customer API. What is assumed is in the README.',
				version,
				license: { name: 'MIT', identifier: 'MIT' },
			},
			servers: [{ url: '/', description: 'Where this document comes from' }],
			tags: [
				{ name: 'Calls', description: 'Outbound calls' },
				{ name: 'Recordings', description: 'Kept for 7 days after the call ended' },
				{ name: 'SMS', description: 'Announced, not yet available' },
				{ name: 'Emulator control', description: 'Not part of the service; loopback only' },
			],
			webhooks: {
				CallStart: webhook(
					'CallStart',
					'Sent while it rings',
					'The instructions for the call',
					json('CallStartReply', 'CallStartReply'),
				),
				CallEnd: webhook('CallEnd', 'Sent when the call has ended', 'Any 2xx will do'),
			},
			components: {
				securitySchemes: {
					Token: {
						type: 'apiKey',
						in: 'header',
						name: 'Token',
						description:
							'The API key; the header name is case-sensitive. By default `demo-key`, or `demo-key-no-permission` to get 403',
					},
				},
			},
		},
		transformObject(result) {
			const document = 'openapiObject' in result ? result.openapiObject : {};
			const paths = Object.values(document.paths ?? {}) as Record<string, Operation>[];
			for (const operation of paths.flatMap(Object.values)) addExamples(operation);
			return document;
		},
		refResolver: {
			buildLocalReference: (json, _baseUri, _fragment, index) =>
				typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
		},
	});
	const css = [{ filename: 'emulator.css', content: STYLE }];
	await app.register(swaggerUi, { routePrefix: '/swagger', theme: { css } });
	app.get('/swagger/v1/swagger.json', { schema: { hide: true } }, async () => app.swagger());
}
