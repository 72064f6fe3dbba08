// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import org.springframework.boot.SpringApplication;

class CoreUsesBoot {

	SpringApplication dependency;

}
