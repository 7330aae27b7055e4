export { average } from './average';
