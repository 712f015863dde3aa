export { make } from './make.operation';
export { matchNumber } from './matchNumber.operation';
export { screenNumbers } from './screenNumbers.operation';
