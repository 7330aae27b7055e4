import Late, { Shop, told } from './shop';
import { extra } from './extra';
new Late().run(); told(); extra(new Shop());
