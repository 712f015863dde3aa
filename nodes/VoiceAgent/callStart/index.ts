export { respond } from './respond.operation';
