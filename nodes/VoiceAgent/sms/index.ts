export { send } from './send.operation';
