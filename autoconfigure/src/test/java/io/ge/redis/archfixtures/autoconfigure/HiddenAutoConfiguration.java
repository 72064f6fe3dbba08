// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;

@AutoConfiguration
class HiddenAutoConfiguration {

}
