import { createRequire } from 'node:module';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
// Only types of it are used elsewhere, but the document shows its schemas.
import '../webhooks/eventSchema.mts';
import { namedSchemas } from '../schema.mts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

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
			},
			tags: [
				{ name: 'Calls' },
				{ name: 'Recordings' },
				{ name: 'SMS' },
				{ name: 'Emulator control', description: 'Not part of the service; loopback only' },
			],
			components: {
				securitySchemes: {
					Token: {
						type: 'apiKey',
						in: 'header',
						name: 'Token',
						description: 'The API key; the header name is case-sensitive',
					},
				},
			},
		},
		refResolver: {
			buildLocalReference: (json, _baseUri, _fragment, index) =>
				typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
		},
	});
	await app.register(swaggerUi, { routePrefix: '/swagger' });
	app.get('/swagger/v1/swagger.json', { schema: { hide: true } }, async () => app.swagger());
}
